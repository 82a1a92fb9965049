import re, zipfile
archive = zipfile.ZipFile("Addadshashanammu.zip")
found = [re.search(rb"picoCTF{[^}]+}", archive.read(name)) for name in archive.namelist() if name[-1] != "/"]
print(found[0][0].decode())
