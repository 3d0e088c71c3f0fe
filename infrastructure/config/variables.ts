import { EVIDENCE, EVIDENCE_LOG } from './variables/evidence-variables.ts';
import { LIMITS } from './variables/limit-variables.ts';
import { MARKET_DATA } from './variables/market-variables.ts';
import { IDENTITY_PROVIDER, MAILS, SERVICE, STORAGE, WEBHOOKS } from './variables/service-variables.ts';

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
