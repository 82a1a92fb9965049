print("picoCTF{%d}" % 0x3D)
