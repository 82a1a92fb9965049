import subprocess

print(subprocess.run(["python3", "code.py"], capture_output=True, text=True, check=True).stdout)
