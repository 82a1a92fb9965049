import re
print(re.search(rb"picoCTF{[^}]+}", open("trace_task_2.pcap", "rb").read())[0].decode())
