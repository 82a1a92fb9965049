import re
print(re.search(rb"p i c o C T F {[^}]+}", open("network-dump.flag.pcap", "rb").read())[0].decode().replace(" ", ""))
