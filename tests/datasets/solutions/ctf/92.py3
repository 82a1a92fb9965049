signs = " ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"
print("picoCTF{%s}" % "".join(signs[pow(int(word), 39, 41)] for word in open("message.txt").read().split()))
