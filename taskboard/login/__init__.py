"""Logging in: password with a throttle, a second factor, single sign-on."""
