"""Chat models over HTTP with OpenAI's protocol: endpoints, journals and replies."""
