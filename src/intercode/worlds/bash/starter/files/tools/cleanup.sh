#!/bin/sh
# Throw away what is in /shop/tmp. TODO: ask first
rm -r /shop/tmp/*
