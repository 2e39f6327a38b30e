"""Asking chat models over HTTP: endpoints that speak OpenAI's protocol, and what their replies mean."""
