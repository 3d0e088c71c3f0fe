import type { Express } from 'express';
import { dataPages } from '../../adapters/http/data/data-pages.ts';
import { agentGuide } from '../../adapters/http/guide/agent-guide.ts';
import { guidePages } from '../../adapters/http/guide/guide-pages.ts';
import { skillText } from '../../adapters/http/guide/skill-text.ts';
import type { Endpoint } from '../../adapters/http/kit/endpoint.ts';
import type { DiskGate, Served } from '../../adapters/http/kit/exchange.ts';
import { createApp, type HttpSettings, sessionCookieName } from '../../adapters/http/kit/router.ts';
import type { Mount, ReadinessChecks, ServedPage } from '../../adapters/http/kit/unmatched.ts';
import { logPages } from '../../adapters/http/log/log-pages.ts';
import { mcpMount } from '../../adapters/http/mcp/mcp-mount.ts';
import { resourceMetadataPage } from '../../adapters/http/mcp/resource-metadata.ts';
import { CONTRACT_VERSION } from '../../adapters/http/openapi/openapi-document.ts';
import { missingPage } from '../../adapters/http/page/document.ts';
import { endpointsOf } from '../../adapters/http/routes/endpoints.ts';
import { servicePages, wellKnownPages } from '../../adapters/http/service-pages.ts';
import { factorRefusal } from '../../application/accounts/factors/required-factor.ts';
import type { EventStreams } from '../../application/events/event-stream.ts';
import { eventStreams, type StreamPorts } from '../../application/events/event-streams.ts';
import { readPolicy } from '../../application/log/read-log.ts';
import type { Ports } from '../../application/ports.ts';
import { addressCeiling, admitRequest } from '../../application/quotas/admit-request.ts';
import { networkHash } from '../../application/sealed-secret.ts';
import { eventOf } from '../../domain/accounts/security-event.ts';
import type { OptionalPart } from '../../domain/problem.ts';
import type { Config } from '../config/config.ts';
import { type Logger, logRequest } from '../logging/logger.ts';
import type { MetricsText } from '../metrics/metrics.ts';
import { metricsPage } from '../metrics/metrics-server.ts';
import { VERSION } from '../version.ts';

const NO_MCP: McpRoutes = { mounts: [], pages: [] };

export interface AppContext {
  readonly readiness: ReadinessChecks;
  /** The content of /metrics. */
  readonly metrics: MetricsText;
  /** Each is called once per answered request, in this order, after the request is logged. */
  readonly observers: readonly ((served: Served) => void)[];
  /** The streams of events of this process; default: without figures. */
  readonly streams?: EventStreams;
  /** Default: always room. */
  readonly disk?: DiskGate | null;
}

/** The HTTP application over the use cases. */
export function composeApp(
  ports: Ports,
  config: Config,
  log: Logger,
  { readiness, metrics, observers, streams, disk }: AppContext,
): Express {
  const { publicUrl, metricsToken, securityContacts, publicLog } = config.server;
  const endpoints = endpointsOf(ports, streams);
  const ceiling = addressCeiling(config.limits.credentialedPerMinute);
  const settings = httpSettings(config);
  const origin = publicUrl === null ? '' : new URL(publicUrl).origin;
  const mcp = config.server.mcp ? composeMcp(endpoints, config) : NO_MCP;
  return createApp({
    endpoints,
    pages: [
      ...servicePages(
        endpoints,
        CONTRACT_VERSION,
        readiness,
        sessionCookieName(settings),
        {
          hasProvider: ports.identityProvider !== null,
          needsFactor: ports.settings.ownerFactorRequired,
          hasMail: ports.mailSender !== null,
          ...(origin !== '' && { publicOrigin: origin }),
        },
        () => readPolicy(ports, config.logPolicy),
      ),
      metricsPage(metrics, metricsToken),
      ...wellKnownPages(securityContacts, publicUrl),
      ...logPages(ports, {
        perMinute: config.server.logTilesPerMinute,
        openingsPerMinute: config.server.logOpeningsPerMinute,
        policy: config.logPolicy,
        publicLog,
      }),
      ...dataPages(ports),
      ...guidePages(endpoints, config.limits, origin, config.server.mcp),
      ...mcp.pages,
    ],
    mounts: mcp.mounts,
    missing: missingPage,
    admit: (request) => admitRequest(ports, request, ceiling),
    networkHash: (network) => networkHash(ports.settings.sessionSecret, network),
    noteAdminRefusal: (owner_id, source) =>
      ports.securityEvents.append(eventOf('admin_call', 'failure', owner_id, source)),
    factorRefusal: (area, owner_id, credential) => factorRefusal(ports, area, owner_id, credential),
    noteKeyRefusal: ({ owner_id, key_prefix }, source) =>
      ports.securityEvents.append({ ...eventOf('key_refused', 'failure', owner_id, source), subject: key_prefix }),
    ...(disk && { disk }),
    log,
    parts: partsOf(ports),
    settings,
    observe(served) {
      logRequest(log, served);
      for (const observer of observers) observer(served);
    },
  });
}

function partsOf({ identityProvider, mailSender }: Ports): ReadonlySet<OptionalPart> {
  return new Set<OptionalPart>([
    ...(identityProvider ? ['provider' as const] : []),
    ...(mailSender ? ['mail' as const] : []),
  ]);
}

function httpSettings({ server, limits }: Config): HttpSettings {
  const { publicUrl, allowedHosts, trustProxy, corsOrigins, adminNetworks } = server;
  return {
    corsOrigins,
    allowedHosts,
    addressPerMinute: limits.addressPerMinute,
    ...(publicUrl === null ? {} : { publicUrl }),
    ...(adminNetworks === null ? {} : { adminNetworks }),
    ...(trustProxy === false
      ? {}
      : { trustProxy: typeof trustProxy === 'number' ? trustProxy : trustProxy.join(', ') }),
  };
}

interface McpRoutes {
  readonly mounts: readonly Mount[];
  readonly pages: readonly ServedPage[];
}

/** The Model Context Protocol over the endpoints, with the metadata that name the identity provider where there is one. */
function composeMcp(endpoints: readonly Endpoint[], { server, limits, identity }: Config): McpRoutes {
  const { publicUrl, allowedHosts, corsOrigins } = server;
  const publicOrigin = publicUrl === null ? null : new URL(publicUrl).origin;
  const issuer = identity?.issuer ?? null;
  const guide = (origin: string) => skillText(agentGuide(endpoints, limits, true), origin);
  return {
    mounts: [mcpMount({ endpoints, version: VERSION, guide, issuer, publicOrigin, allowedHosts, corsOrigins })],
    pages: issuer === null ? [] : [resourceMetadataPage(issuer, publicOrigin)],
  };
}

/** The streams of events of this process, with a log line for each that ends. */
export function composeStreams(ports: StreamPorts, log: Logger): EventStreams {
  return eventStreams(ports, {
    onEnded: (ended) => log.http('stream ended', ended),
    onFault: (error) => log.warn('Could not read the events of streams; the next second tries again', { error }),
  });
}
