import type { ActionSource } from '../../../domain/accounts/security-event.ts';
import { Problem } from '../../../domain/problem.ts';
import type { Ports } from '../../ports.ts';
import { addAgent } from '../keys/add-agent.ts';
import { type IssuedKey, issueKey } from '../keys/issue-key.ts';
import { type RegisteredOwner, type Registration, type RegistrationPorts, registerOwner } from './register-owner.ts';
import type { RequestClient } from './request-client.ts';

export interface QuickSetup {
  readonly owner: RegisteredOwner;
  readonly key: IssuedKey & { readonly agent_id: string };
}

const FIRST_AGENT = 'First agent';

/**
 * Creates an account, its first agent and a read_write key for it, in one call (settled.md section 8). The account is
 * committed before the key is made, so that a caller whose key could not be made can still log in.
 * @throws Problem WEAK_PASSWORD, EMAIL_TAKEN, KEY_ISSUANCE_FAILED
 */
export async function quickSetup(
  ports: RegistrationPorts,
  { email, password, agent_name = FIRST_AGENT }: Registration,
  client: RequestClient,
): Promise<QuickSetup> {
  const owner = await registerOwner(ports, { email, password }, client);
  try {
    return { owner, key: await firstKey(ports, owner, agent_name, client.source) };
  } catch (cause) {
    throw new Problem('KEY_ISSUANCE_FAILED', 'The account was created, but its API key was not.', { cause });
  }
}

function firstKey(
  { transaction }: Pick<Ports, 'transaction'>,
  owner: RegisteredOwner,
  name: string,
  source: ActionSource,
) {
  return transaction(async (stores) => {
    const { agent_id } = await addAgent(stores, owner, name, owner.created_at);
    const terms = { agent_id, permission_mode: 'read_write', label: name, created_at: owner.created_at } as const;
    return { ...(await issueKey(stores, owner, terms, source)), agent_id };
  });
}
