import type { Caller, PermissionMode, Role, Tier } from '../../domain/caller.ts';
import type { QuotaUsage } from '../../domain/quotas/pools.ts';
import type { Ports } from '../ports.ts';
import { factorRefusal, type RequiredFactorPorts } from './factors/required-factor.ts';
import type { PresentedCredential } from './sign-in/proof-of-credential.ts';

/** What a valid credential allows (settled.md section 8). */
export interface Capabilities {
  readonly authenticated: true;
  readonly credential: Caller['credential'];
  readonly owner_id: string;
  /** Null for an owner, and for a legacy key without an agent. */
  readonly agent_id: string | null;
  /** Null for an owner. */
  readonly permission_mode: PermissionMode | null;
  /** Only a read_write key that is bound to an agent. */
  readonly can_submit: boolean;
  readonly can_query: boolean;
  readonly tier: Tier;
  /** Of an owner: since when the address is confirmed; null: it is not, or there is none. */
  readonly email_confirmed_at?: Date | null;
  readonly quota?: QuotaUsage;
  /** Who the owner is, for an owner only: the keys of agents do not show it. */
  readonly owner?: {
    readonly email: string | null;
    readonly role: Role;
    /** Whether this session or token does nothing else before a second factor is added to it (OWNER_FACTOR). */
    readonly needs_factor: boolean;
  };
}

/** What the caller may do, with the owner's daily pools if requested; it spends nothing (interface.md section 8). */
export async function capabilitiesOf(
  ports: Pick<Ports, 'quotas' | 'owners' | 'settings'> & RequiredFactorPorts,
  caller: Caller,
  presented: PresentedCredential | null,
  withQuota: boolean,
): Promise<Capabilities> {
  const { quotas, owners, settings } = ports;
  const { credential, owner_id, tier } = caller;
  const { agent_id, permission_mode } = caller.credential === 'api_key' ? caller : NO_KEY;
  const can_submit = agent_id !== null && permission_mode === 'read_write';
  const quota = withQuota ? { quota: await quotas.usage(owner_id, settings.limits) } : {};
  const owner = caller.credential === 'api_key' ? null : await owners.find(owner_id);
  const needs_factor = presented !== null && (await factorRefusal(ports, 'owner', owner_id, presented)) !== null;
  return {
    authenticated: true,
    credential,
    owner_id,
    agent_id,
    permission_mode,
    can_submit,
    can_query: !needs_factor,
    tier,
    ...(owner && { email_confirmed_at: owner.email_confirmed_at }),
    ...quota,
    ...(caller.credential !== 'api_key' && { owner: { email: owner?.email ?? null, role: caller.role, needs_factor } }),
  };
}

const NO_KEY = { agent_id: null, permission_mode: null } as const;
