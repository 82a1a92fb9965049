import urllib.request

print(urllib.request.urlopen("http://library:8000/read?name=....//keeper.txt", timeout=5).read().decode().strip())
