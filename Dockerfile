# Builds one service: docker build --build-arg APP=api . or APP=webhook-dispatcher or APP=admin
# Pinned by version, not by digest: see deploy/README.md.
FROM node:24.19.0-slim AS build
ARG APP
WORKDIR /source
COPY . .
RUN npm exec --yes -- pnpm@12.21.0 install --frozen-lockfile
RUN npm exec --yes -- pnpm@12.21.0 exec turbo run build --filter="@chairside/${APP}"
RUN npm exec --yes -- pnpm@12.21.0 --filter="@chairside/${APP}" deploy --prod --legacy /service

FROM node:24.19.0-slim
ARG APP
# Looking a name up holds a thread for as long as a name server keeps silent, and look-ups may have half of the threads:
# with the usual four, two names that hang would hold up every other.
ENV UV_THREADPOOL_SIZE=128
# A long list makes much that dies soon: a young generation of three times this size, in MiB, keeps memory low.
ENV NODE_OPTIONS=--max-semi-space-size=8
ENV NODE_ENV=production \
    HOST=0.0.0.0 \
    PORT=3000 \
    METRICS_HOST=0.0.0.0 \
    METRICS_PORT=3003 \
    HEALTH_HOST=0.0.0.0 \
    HEALTH_PORT=3000
WORKDIR /service
COPY --from=build /service .
USER node
EXPOSE 3000 3003
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s \
  CMD ["node", "-e", "fetch('http://127.0.0.1:3000/health/ready').then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "dist/main.js"]
