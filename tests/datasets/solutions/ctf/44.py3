import re

print("picoCTF{%s}" % re.search(r'password\.equals\("(.*)"\)', open("VaultDoorTraining.java").read())[1])
