import { SESSION } from '../../../domain/limits.ts';
import { DAY, MINUTE } from '../../../domain/time.ts';
import { SAMPLERS } from '../../tracing/tracing.ts';
import * as shape from '../shapes.ts';
import { may, of } from '../variable.ts';

const HEADERS: shape.Shape<string> = {
  ...shape.text('`name=value,name=value`', /^[\w-]+=[\x21-\x2b\x2d-\x7e]+(,[\w-]+=[\x21-\x2b\x2d-\x7e]+)*$/),
  secret: true,
};

/** The processes, their addresses, logs, metrics and traces. */
export const SERVICE = {
  PORT: of(shape.integer(0, 65_535), '3000', 'TCP port; 0 takes any free one.'),
  HOST: of(shape.text('a host name or an address', /^[\w.:-]+$/), '127.0.0.1', 'Address to listen on.'),
  ROLE: of(shape.oneOf('all', 'api', 'worker'), 'all', 'Answers requests, runs jobs, or both.'),
  WORKERS: of(shape.integer(1, 64), '1', 'Processes that answer requests.'),
  PUBLIC_URL: may(
    shape.origin,
    'The public origin of the service, to whose host passkeys are bound.',
    'http://HOST:PORT',
  ),
  ALLOWED_HOSTS: may(
    shape.hosts,
    'Further host names that requests may be sent to, with PUBLIC_URL; without it every host is served.',
    'that of PUBLIC_URL alone',
  ),
  TRUST_PROXY: of(shape.proxies, 'false', "Proxies whose X-Forwarded-For contains the caller's address."),
  ADMIN_NETWORKS: may(
    shape.networks,
    "Networks that the admin area is served to, by the caller's address as TRUST_PROXY finds it.",
    'all',
  ),
  ADMIN_FACTOR: may(
    shape.oneOf('required', 'optional'),
    'Whether the admin area needs a second factor of its admins, or one of the identity provider.',
    '`required` with an https PUBLIC_URL, else `optional`',
  ),
  OWNER_FACTOR: of(
    shape.oneOf('optional', 'required'),
    'optional',
    'Whether owners need a second factor, or one of the identity provider, for all that they do by session or bearer token.',
  ),
  CORS_ORIGINS: may(shape.origins, 'Origins of web pages that may call the service from a browser.', 'none'),
  MCP: of(shape.oneOf('on', 'off'), 'on', 'Whether clients of the Model Context Protocol are served at /mcp.'),
  SECURITY_CONTACT: may(
    shape.contacts,
    'Whom to tell about a vulnerability; served as /.well-known/security.txt.',
    'security.txt is not served',
  ),
  REAUTH_MINUTES: of(
    shape.integer(1, DAY / MINUTE),
    String(SESSION.reauthenticateAfter / MINUTE),
    'Minutes after a login in which its owner may make, rotate and raise API keys, change second factors, and export the account.',
  ),
  LEGAL_TERMS: of(shape.versions, '1.0', 'Versions of the terms that can be accepted, the current one last.'),
  LEGAL_PRIVACY: of(
    shape.versions,
    '1.0',
    'Versions of the privacy notice that can be accepted, the current one last.',
  ),
  METRICS_TOKEN: may(shape.secret, 'Bearer token for /metrics from other machines.', 'loopback callers only'),
  METRICS_PORT: may(
    shape.integer(0, 65_535),
    'A further TCP port, on HOST, for /metrics, /healthz and /readyz alone; the only port of a process without requests.',
    'no further port',
  ),
  OTEL_EXPORTER_OTLP_ENDPOINT: may(
    shape.address,
    'Base address of an OpenTelemetry collector that takes OTLP over HTTP; traces go to /v1/traces there.',
    'no traces',
  ),
  OTEL_EXPORTER_OTLP_HEADERS: may(
    HEADERS,
    'Headers of every request to the collector, also of those with log lines.',
    'none',
  ),
  OTEL_EXPORTER_OTLP_LOGS_ENDPOINT: may(
    shape.receiver,
    'Address that log lines are sent to as well, by OTLP over HTTP in JSON.',
    'log lines go to standard output alone',
  ),
  OTEL_EXPORTER_OTLP_LOGS_HEADERS: may(
    HEADERS,
    'Headers of the requests with log lines; they take precedence over OTEL_EXPORTER_OTLP_HEADERS.',
    'as OTEL_EXPORTER_OTLP_HEADERS',
  ),
  OTEL_TRACES_SAMPLER: of(
    shape.oneOf(...SAMPLERS),
    'parentbased_always_on',
    'Which traces are recorded; `parentbased_`: the caller decides about its own traces.',
  ),
  OTEL_TRACES_SAMPLER_ARG: of(shape.share, '1', 'Share of the traces, for the samplers by `traceidratio`.'),
  LOG_LEVEL: of(
    shape.oneOf('silent', 'error', 'warn', 'info', 'http', 'debug'),
    'info',
    'Lowest level that is logged; `http` adds a line per request.',
  ),
  LOG_FORMAT: may(shape.oneOf('json', 'pretty'), 'Form of the log lines.', '`pretty` on a terminal, else `json`'),
} as const;
