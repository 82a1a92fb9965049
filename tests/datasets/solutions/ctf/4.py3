print(open("flag").read())
