"""Worlds: gymnasium environments whose actions are code. Importing this package registers them with gymnasium."""

from intercode.env.registration import register_all

register_all()
