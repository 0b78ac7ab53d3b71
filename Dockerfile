# One image for every process of Querybell: api, worker, public pages, the operator's commands and the migrations.
# How to build and run it: docs/deploy.md.
ARG NODE_IMAGE=node:24-bookworm-slim
ARG BASE_IMAGE=debian:bookworm-slim

# Builds what is not plain TypeScript (the database client and the web app), and installs what runs in production.
FROM ${NODE_IMAGE} AS build
RUN npm install --global pnpm@12.18.0
WORKDIR /source
COPY . .
RUN pnpm install --frozen-lockfile --filter=@querybell/db --filter-prod=@querybell/web... \
 && pnpm --filter=@querybell/db --filter=@querybell/web run build
RUN sh deploy/assemble.sh /app

# Hosts that run queries start in less than half of the time with the compile cache. Its folder is named after the user
# of the service, and the paths in it are those of the final image.
FROM ${NODE_IMAGE} AS app
COPY --from=build /app /app
RUN sh /app/deploy/fill-compile-cache.sh 10001

FROM ${BASE_IMAGE}
LABEL org.opencontainers.image.title="Querybell" \
      org.opencontainers.image.description="Saved SQL that runs, is shared by permalink, and rings a signed webhook"
# bubblewrap is the strongest isolation of engine hosts, where the container may create namespaces. CA certificates are
# for endpoints of webhooks, for which Node has its own, and for TLS to database servers with their system's store.
RUN apt-get update \
 && apt-get install --yes --no-install-recommends bubblewrap ca-certificates \
 && rm -rf /var/lib/apt/lists/* /var/cache/apt /var/log/* \
 && groupadd --gid 10001 querybell \
 && useradd --uid 10001 --gid 10001 --no-create-home --home-dir /nonexistent --shell /usr/sbin/nologin querybell \
 && install --directory --owner=querybell --group=querybell --mode=0700 /data /backups
COPY --from=app /usr/local/bin/node /usr/local/bin/node
COPY --from=app /app /app
ENV NODE_ENV=production HOST=0.0.0.0 WORKER_HOST=0.0.0.0 PUBLIC_HOST=0.0.0.0 DUCKDB_FOLDER=/data
WORKDIR /app
USER 10001:10001
VOLUME ["/data"]
EXPOSE 4000 4001 4003
# The api finishes its requests and the worker its jobs; both force their end after 30 seconds.
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=15s --timeout=5s --start-period=40s --retries=4 CMD ["/app/deploy/querybell", "health", "api"]
ENTRYPOINT ["/app/deploy/querybell"]
CMD ["api"]
