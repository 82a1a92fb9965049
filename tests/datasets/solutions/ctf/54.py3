import re
import sys
from http.client import HTTPConnection

host, port = re.search(r"http://(\w+):(\d+)", sys.argv[1]).groups()
connection = HTTPConnection(host, int(port), timeout=10)
connection.request("HEAD", "/")
print(re.search(r"picoCTF\{.*?\}", str(connection.getresponse().headers))[0])
