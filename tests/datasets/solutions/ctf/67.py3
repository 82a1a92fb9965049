import re
import subprocess
from glob import glob

text = subprocess.run(["pdftotext", glob("*.pdf")[0], "-"], capture_output=True, text=True, check=True).stdout
print(re.search(r"picoCTF\{.*?\}", text)[0])
