import { OWNER_PROOFS } from '../../domain/cohorts/cohort-reader.ts';
import { COHORT, IDENTITY, LOG } from '../../domain/limits.ts';
import { DAY, MINUTE, SECOND } from '../../domain/time.ts';
import * as shape from './shapes.ts';
import { may, of } from './variable.ts';
import { LIMITS } from './variables/limit-variables.ts';
import { MARKET_DATA } from './variables/market-variables.ts';
import { SERVICE } from './variables/service-variables.ts';
import { STORAGE } from './variables/storage-variables.ts';

/** The thresholds of cohorts, the monitor of stablecoins, and the terms that owners accept. */
const EVIDENCE = {
  WISDOM_MIN_PRODUCERS: of(
    shape.integer(1, COHORT.mostMinProducers),
    String(COHORT.minProducers),
    'Distinct owners below which a cohort is suppressed.',
  ),
  WISDOM_MIN_SAMPLES: of(
    shape.integer(1, 1_000_000),
    String(COHORT.minSamples),
    'Evaluated decisions below which a cohort is suppressed.',
  ),
  WISDOM_OWNER_PROOF: of(
    shape.oneOf(...OWNER_PROOFS),
    'none',
    'Which owners count for WISDOM_MIN_PRODUCERS: all, or with `verified` those who sign in by the identity provider or have confirmed their address.',
  ),
  PUBLIC_COHORTS: of(
    shape.oneOf('on', 'off'),
    'on',
    'Whether everybody may count cohorts, without credentials, at /api/v1/public/cohorts.',
  ),
  DATA_SNAPSHOTS: of(
    shape.oneOf('off', 'monthly'),
    'off',
    'Whether public snapshots of the decisions that cohorts show are made and served at /data/.',
  ),
  DATA_SNAPSHOTS_LICENCE: may(
    shape.text('an SPDX identifier of a licence, as `CC-BY-4.0`', /^[A-Za-z0-9][A-Za-z0-9.+-]{1,63}$/),
    'The licence of the snapshots; needed with DATA_SNAPSHOTS=monthly.',
    'no snapshots',
  ),
  CIRCUIT_MONITOR: of(
    shape.boolean,
    'true',
    'Whether the prices of USDT and USDC are fetched from exchanges every minute; never with MARKET_DATA_NETWORK=false.',
  ),
  CIRCUIT_BITSTAMP_URL: of(shape.address, 'https://www.bitstamp.net', 'Interface of Bitstamp, or a mirror.'),
  CIRCUIT_GEMINI_URL: of(shape.address, 'https://api.gemini.com', 'Interface of Gemini, or a mirror.'),
  CIRCUIT_AUTO_TRIP: of(
    shape.boolean,
    'true',
    'Whether the monitor trips circuits by itself. With `false`, tripped circuits still warm.',
  ),
  CIRCUIT_TRIPPED_SUBMITS: of(
    shape.oneOf('isolate', 'refuse'),
    'isolate',
    'What happens to submissions quoted in a tripped coin.',
  ),
  LEGAL_TERMS: of(shape.versions, '1.0', 'Versions of the terms that can be accepted, the current one last.'),
  LEGAL_PRIVACY: of(
    shape.versions,
    '1.0',
    'Versions of the privacy notice that can be accepted, the current one last.',
  ),
} as const;

const IDENTITY_PROVIDER = {
  IDP_ISSUER: may(shape.issuer, 'Issuer; its endpoints are discovered.', 'sign-in by provider answers 503'),
  IDP_CLIENT_ID: may(
    shape.text('1 to 255 visible characters', /^[\x21-\x7e]{1,255}$/),
    'The client id of the service at the provider.',
    'as IDP_ISSUER',
  ),
  IDP_CLIENT_SECRET: may(
    { ...shape.text('1 to 1,024 visible characters', /^[\x21-\x7e]{1,1024}$/), secret: true },
    'The client secret of the service at the provider.',
    'as IDP_ISSUER',
  ),
  IDP_AUDIENCE: may(
    shape.text('1 to 255 visible characters', /^[\x21-\x7e]{1,255}$/),
    'Audience that access tokens must name.',
    'as IDP_ISSUER',
  ),
  IDP_SCOPE: may(
    shape.text('one scope, as `stancebook`', /^[\x21\x23-\x5b\x5d-\x7e]{1,255}$/),
    'Scope that access tokens must contain, in `scope` or `scp`.',
    'any scope, or none',
  ),
  IDP_ADMIN_ACR: may(
    shape.acrValues,
    'Values of `acr` by which the provider reports a second factor, for the admin area; an `amr` of RFC 8176 does too.',
    '`amr` alone',
  ),
  IDP_REQUIRE_AUTH_TIME: of(
    shape.boolean,
    'false',
    'Whether only `auth_time` of an access token says when its owner logged in; otherwise `iat` does where it is absent.',
  ),
  IDP_TOKEN_MINUTES: of(
    shape.integer(1, (7 * DAY) / MINUTE),
    String(IDENTITY.longestToken / MINUTE),
    'Minutes after its issue in which an access token is accepted, however long the provider lets it last.',
  ),
} as const;

/** The evidence log. */
const EVIDENCE_LOG = {
  LOG_KEY_FILE: may(
    shape.text('the path of a file', /^[^\0]+$/),
    'Ed25519 key in PEM (`openssl genpkey -algorithm ed25519`) that signs the evidence log; only workers read it.',
    'made once and stored in DATA_DIR; with DATABASE_URL no log is kept',
  ),
  LOG_PREVIOUS_KEY_FILE: may(
    shape.text('the path of a file', /^[^\0]+$/),
    'The key before LOG_KEY_FILE, which signs as well for 30 days after the first signature of the new key.',
    'none',
  ),
  LOG_POLICY_FILE: may(
    shape.text('the path of a file', /^[^\0]+$/),
    'Policy of the evidence log (tlog-policy): workers ask its witnesses, and `/log/policy` serves it.',
    'no witnesses; `/log/policy` has the key of the log',
  ),
  LOG_TIMESTAMP_URLS: may(
    shape.text('URLs of time-stamp authorities', /^https?:\/\/[^\s,]+(?:,https?:\/\/[^\s,]+)*$/),
    'Time-stamp authorities (RFC 3161) that stamp the evidence log, with commas between them; name two.',
    'no timestamps',
  ),
  LOG_TIMESTAMP_SECONDS: of(
    shape.integer(1, 150),
    '120',
    'The least seconds between two questions to time-stamp authorities.',
  ),
  LOG_TIMESTAMP_CA: may(
    shape.text('the path of a file', /^[^\0]+$/),
    'Certificates in PEM to which those of LOG_TIMESTAMP_URLS must lead.',
    'needed with LOG_TIMESTAMP_URLS',
  ),
  LOG_INTERVAL_SECONDS: of(
    shape.integer(1, 60),
    String(MINUTE / SECOND),
    'How many seconds of events the evidence log takes in together; a divisor of 60.',
  ),
  LOG_PUBLIC: of(
    shape.oneOf('on', 'off'),
    'on',
    'With `off` only receipts and witnesses show the log: no checkpoint, tile, public proof, opening or index of a leaf is served.',
  ),
  LOG_TILES_PER_MINUTE: of(
    shape.integer(1, 1_000_000),
    '1200',
    'Files of the evidence log per client address, minute and process.',
  ),
  LOG_OPENINGS_PER_MINUTE: of(
    shape.integer(1, 1_000_000),
    String(LOG.openingsPerMinute),
    'Bundles of openings of the evidence log per client address, minute and process: a whole audit reads them all.',
  ),
  LOG_LAST_SEEN: may(
    shape.text('the path of a file', /^[^\0]+$/),
    'Where a worker notes the newest tree, outside of backups: a restored database signs nothing that differs from it.',
    '`.local/state/stancebook` in the home folder, by the key',
  ),
} as const;

/** What the sender of webhooks may reach, and how. */
const WEBHOOKS = {
  WEBHOOK_ALLOW_PRIVATE: of(
    shape.boolean,
    'false',
    'Whether webhooks may also use http, and reach loopback, private networks and their names: for trials, and where ' +
      'all owners are your own. Link-local addresses, and with them the metadata of clouds, are never reached.',
  ),
  WEBHOOK_PROXY: may(
    shape.httpProxy,
    'An HTTP proxy through which all webhooks are sent (CONNECT); it resolves their names, and has to refuse private ' +
      'addresses itself.',
    'webhooks are sent directly',
  ),
} as const;

/** How mails are sent. */
const MAILS = {
  SMTP_URL: may(
    shape.smtpUrl,
    'The server that takes our mails. `smtp:` begins with STARTTLS, which may be missing only on a loopback host; `smtps:` ' +
      'is TLS from the beginning. Needs MAIL_FROM and PUBLIC_URL.',
    'no mail is sent',
  ),
  MAIL_FROM: may(shape.mailbox, 'The sender of our mails.', 'as SMTP_URL'),
} as const;

/** All variables of the environment (settled.md section 13), by section of the manual. */
export const SECTIONS = {
  Service: SERVICE,
  'Data and secrets': STORAGE,
  'Identity provider (all four, or none)': IDENTITY_PROVIDER,
  Evidence: { ...MARKET_DATA, ...EVIDENCE },
  'Evidence log': EVIDENCE_LOG,
  Webhooks: WEBHOOKS,
  'Mail (both, or neither)': MAILS,
  'Limits (the defaults are the contract)': LIMITS,
} as const;

/** An unknown variable with one of these prefixes is a typing error, which must be reported. */
export const OUR_PREFIXES = [
  'LIMIT_',
  'WISDOM_',
  'DATA_SNAPSHOTS',
  'CIRCUIT_',
  'MARKET_DATA_',
  'LEGAL_',
  'IDP_',
  'WEBHOOK_',
  'SMTP_',
  'MAIL_',
] as const;
