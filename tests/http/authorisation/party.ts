import { addAgent } from '../../../application/accounts/keys/add-agent.ts';
import { issueKey } from '../../../application/accounts/keys/issue-key.ts';
import { changeTier } from '../../../application/accounts/operators/owner-changes.ts';
import { ownerOfIdentity } from '../../../application/accounts/provider/provider-login.ts';
import { beginSession } from '../../../application/accounts/sign-in/sessions.ts';
import type { SessionFactor } from '../../../domain/accounts/factors/factor.ts';
import type { PermissionMode } from '../../../domain/caller.ts';
import { A_CLIENT, A_SOURCE } from '../../builders/accounts.ts';
import type { HostileProvider } from '../../harness/identity/hostile-provider.ts';
import type { TestService } from '../../harness/service.ts';
import { aPasswordOwner } from '../../harness/sessions.ts';
import type { Wire } from './wire.ts';

/** The service, its identity provider and the connection, with which parties and their data are created. */
export interface Stage {
  readonly service: TestService;
  readonly provider: HostileProvider;
  readonly wire: Wire;
}

/** A person with that name at the provider. */
export async function aParty({ service, provider }: Stage, subject: string): Promise<Party> {
  const { ports } = service;
  const identity = { issuer: provider.settings.issuer, subject };
  const { owner_id } = await ownerOfIdentity(ports, identity, A_CLIENT);
  await changeTier(service.operators, owner_id, 'pro', 'test');
  const owner = await ownerOfIdentity(ports, identity, A_CLIENT);
  const created_at = await ports.clock.now();
  const { agent_id } = await addAgent(ports, owner, `The agent of ${subject}`, created_at);
  const key = (permission_mode: PermissionMode, of: string | null = agent_id) =>
    issueKey(ports, owner, { agent_id: of, permission_mode, label: null, created_at }, A_SOURCE);
  const account = await aPasswordOwner(service);
  return {
    owner_id,
    agent_id,
    keys: {
      read_write: await key('read_write'),
      read_only: await key('read_only'),
      unbound: await key('read_write', null),
    },
    // Without `auth_time`, which RFC 9068 leaves to the provider.
    bearer: await provider.sign({ sub: subject, amr: ['otp'] }),
    account: { owner_id: account.owner_id, email: account.email ?? '' },
    async session(of, factor = 'totp') {
      const whose = of === 'password' ? await ports.owners.find(account.owner_id) : owner;
      if (!whose) throw new Error(`${subject} is gone.`);
      // Of 100 sessions the one that was unused for longest ends, so that no two may begin at one moment.
      await service.arrange.advance(1);
      const now = await ports.clock.now();
      const login = { now, authenticated_at: now, source: A_SOURCE, factor } as const;
      return (await beginSession(ports, whose, undefined, login)).session_id;
    },
  };
}

/** A person with every kind of credential; all except the password account belong to one owner. */
export interface Party {
  readonly owner_id: string;
  readonly agent_id: string;
  readonly keys: Readonly<Record<'read_write' | 'read_only' | 'unbound', KeyOf>>;
  readonly bearer: string;
  /** The account with the password, because no account has both an identity and a password. */
  readonly account: { readonly owner_id: string; readonly email: string };
  /** The id of a new session of either account, opened with that factor. */
  session(of?: 'password', factor?: SessionFactor | null): Promise<string>;
}

export interface KeyOf {
  readonly api_key: string;
  readonly key_prefix: string;
}
