import json
import subprocess
import sys

product = json.load(open("product.json"))
powers = {pow(5, group, 10007): group for group in range(10000)}
licence = "-".join(f"{powers[rest]:04d}" for rest in product["wanted"])
print(subprocess.run([sys.executable, "licence.py", licence], capture_output=True, text=True).stdout.strip())
