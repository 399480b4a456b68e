# One of everything.
ARG VERSION=3
FROM debian:$VERSION AS build
LABEL a="b" c=d
ENV PATH=/opt/bin:$PATH LANG=C
WORKDIR /src
COPY --from=other a b /src/
ADD https://example.org/x /x
RUN apt-get update && \
    apt-get install -y gcc
RUN ["sh", "-c", "true"]
USER nobody
VOLUME /data
EXPOSE 80/tcp
STOPSIGNAL SIGTERM
SHELL ["/bin/sh", "-c"]
FROM scratch
ENTRYPOINT ["/x"]
CMD ["--help"]
