import codecs, sys
print(codecs.decode(sys.argv[1].split()[-1], "rot13"))
