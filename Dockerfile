# The service with an external PostgreSQL (DATABASE_URL): the package `stancebook`, small, not root, its root read-only.
# Other images with Node.js 24 can take the place of both: npm run image makes them of Debian's packages.
ARG BUILD_IMAGE=node:24-bookworm-slim
ARG BASE_IMAGE=node:24-bookworm-slim

FROM ${BUILD_IMAGE} AS build
WORKDIR /src
COPY . .
# bcrypt has code for each system, so it is outside of the build.
RUN npm ci --ignore-scripts --no-audit --no-fund \
 && node --disable-warning=ExperimentalWarning scripts/pack.ts \
 && mkdir -p /image/app/bin /image/app/node_modules /image/log \
 && tar -xzf dist/pack/stancebook-*.tgz --strip-components=1 -C /image/app \
 && cp -R node_modules/bcrypt node_modules/node-gyp-build /image/app/node_modules/ \
 && ln -s ../dist/stancebook.mjs /image/app/bin/stancebook \
 && chmod 0700 /image/log

FROM ${BASE_IMAGE}
LABEL org.opencontainers.image.title="Stancebook" \
  org.opencontainers.image.description="An evidence store for trading decisions made by software agents" \
  org.opencontainers.image.licenses="Apache-2.0" \
  org.opencontainers.image.version="1.0.0"
# Mount a volume of its own at the folder of LOG_LAST_SEEN in workers: not that of the database, and in no backup.
ENV NODE_ENV=production NODE_COMPILE_CACHE=/tmp/compile-cache \
  PATH=/app/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
  HOST=0.0.0.0 \
  LOG_LAST_SEEN=/var/lib/stancebook-log/last-seen.json
WORKDIR /app
COPY --from=build /image/app ./
COPY --from=build --chown=1000:1000 /image/log /var/lib/stancebook-log
USER 1000:1000
EXPOSE 3000
STOPSIGNAL SIGTERM
# A process that only runs jobs answers on METRICS_PORT alone.
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s \
  CMD ["node", "-e", "fetch('http://127.0.0.1:' + (process.env.METRICS_PORT || process.env.PORT || 3000) + '/healthz').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
# Young objects in 8 MiB: short pauses, and a third less memory under load.
CMD ["node", "--max-semi-space-size=8", "dist/service.mjs"]
