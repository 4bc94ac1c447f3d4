# Builds one program: docker build --build-arg APP=api -t chairside/api . The others are webhook-dispatcher, dashboard, mcp and admin.
# `npm run check:images` builds and starts all of them. The base image is pinned by its digest, too: see deploy/README.md.
ARG APP
ARG NODE_IMAGE=node:24.21.0-slim@sha256:0e0ff40c39bc087845bfb27465a0df4ea419520094bc35842ff83dd8cbe6f9b6

FROM ${NODE_IMAGE} AS build
WORKDIR /source
ENV PNPM="npm exec --yes -- pnpm@12.21.0" \
    TURBO_TELEMETRY_DISABLED=1
# The fetched packages depend only on the lockfile, the workspace file and the patches. So a change of a source keeps this layer.
COPY pnpm-lock.yaml pnpm-workspace.yaml ./
COPY patches patches
RUN $PNPM fetch
COPY . .
RUN $PNPM install --frozen-lockfile --offline
ARG APP
# The commit, and its time in seconds. The program shows both.
ARG REVISION=
ARG SOURCE_DATE_EPOCH=
RUN $PNPM exec turbo run build --filter="@chairside/${APP}" && node scripts/build-info.ts
# Then removes what no service reads: types, source maps, tests and documentation of packages, and the state of pnpm.
RUN $PNPM --filter="@chairside/${APP}" deploy --prod --offline /service \
  && cd /service \
  && find . \( -name '*.map' -o -name '*.ts' -o -name '*.mts' -o -name '*.cts' -o -name '*.tsbuildinfo' \) -type f -delete \
  && find node_modules -name '*.md' ! -iname 'licen[cs]e*' ! -iname 'notice*' -type f -delete \
  && find node_modules -regextype posix-extended -type d \
    -regex '.*/node_modules/(@[^/]+/)?[^@/][^/]*/(tests?|specs?|__tests__|benchmarks?|examples?|docs)' -prune -exec rm -rf {} + \
  && rm -f pnpm-lock.yaml pnpm-workspace.yaml node_modules/.modules.yaml node_modules/.pnpm-workspace-state*.json

FROM ${NODE_IMAGE} AS runtime
# No service needs the package managers, and scanners report their dependencies.
RUN cd /usr/local && rm -rf lib/node_modules bin/npm bin/npx bin/corepack bin/yarn bin/yarnpkg /opt/yarn-*
# A name lookup holds one thread until the name server responds, and lookups can use half of the threads. With the
# default of four threads, two names whose server is silent would delay all others.
ENV UV_THREADPOOL_SIZE=128
# With one arena, all threads take memory from one heap. Otherwise the heap of each thread keeps what it has freed.
ENV MALLOC_ARENA_MAX=1
# In MiB. The lower the limit of the heap, the earlier V8 collects garbage. A long list allocates many objects that are
# soon garbage, so a small young generation keeps the memory low.
ENV NODE_OPTIONS="--max-old-space-size=384 --max-semi-space-size=8"
ENV NODE_ENV=production
WORKDIR /service
COPY --from=build /service .
USER node

FROM runtime AS api
ENV HOST=0.0.0.0 \
    PORT=3000 \
    METRICS_HOST=0.0.0.0 \
    METRICS_PORT=3003
EXPOSE 3000 3003
HEALTHCHECK --interval=10s --timeout=3s --start-period=60s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/health/ready`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "dist/main.js"]

FROM runtime AS webhook-dispatcher
ENV HEALTH_HOST=0.0.0.0 \
    HEALTH_PORT=3000
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=3s --start-period=60s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.HEALTH_PORT}/health/ready`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "dist/main.js"]

FROM runtime AS dashboard
ENV HOST=0.0.0.0 \
    PORT=3004 \
    METRICS_HOST=0.0.0.0 \
    METRICS_PORT=3005 \
    INTROSPECTION_HOST=0.0.0.0 \
    INTROSPECTION_PORT=3006
EXPOSE 3004 3005 3006
HEALTHCHECK --interval=10s --timeout=4s --start-period=60s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/health/ready`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "dist/main.js"]

FROM runtime AS mcp
ENV HOST=0.0.0.0 \
    PORT=3007 \
    METRICS_HOST=0.0.0.0 \
    METRICS_PORT=3008
EXPOSE 3007 3008
HEALTHCHECK --interval=10s --timeout=4s --start-period=60s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/health/ready`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "dist/main.js"]

FROM runtime AS admin
USER root
RUN ln -s /service/dist/main.js /usr/local/bin/chairside-admin
USER node
ENTRYPOINT ["chairside-admin"]
CMD ["--help"]

FROM ${APP}
ARG APP
# The version of the release and its commit.
ARG VERSION=
ARG REVISION=
LABEL org.opencontainers.image.title="Chairside ${APP}" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}" \
      org.opencontainers.image.licenses="Apache-2.0"
