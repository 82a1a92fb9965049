import re
import subprocess

with subprocess.Popen(
    ["python3", "-u", "convertme.py"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
) as program:
    number = int(re.findall(r"\d+", program.stdout.readline())[0])
    print(re.search(r"picoCTF\{.*\}", program.communicate(f"{number:b}\n")[0])[0])
