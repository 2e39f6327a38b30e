"""Chat models over HTTP with OpenAI's protocol: endpoints, budgets, journals and replies."""
