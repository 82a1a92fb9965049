print("picoCTF{%s}" % chr(0x70))
