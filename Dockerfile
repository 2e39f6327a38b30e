# Fairbrief's default install, without a shell or a package manager. Build and run: docs/how-to/every-night.md.
ARG PYTHON=3.13
FROM python:${PYTHON}-slim AS build
RUN apt-get update && apt-get install --yes --no-install-recommends binutils
WORKDIR /source
COPY pyproject.toml README.md LICENSE constraints.txt ./
COPY src src
COPY container container
RUN container/assemble /root-of-image

FROM scratch
COPY --from=build /root-of-image /
ENV HOME=/tmp PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 SSL_CERT_FILE=/etc/ssl/certs/ca-certificates.crt
USER 65534:65534
WORKDIR /out
ENTRYPOINT ["/usr/bin/python3", "-m", "fairbrief"]
