signs = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"
print("picoCTF{%s}" % "".join(signs[int(word) % 37] for word in open("message.txt").read().split()))
