import { RetryableError, ServiceDegradedError, UsageError } from '../client/errors.ts';
import { Stancebook } from '../client/stancebook.ts';
import { sleepFor } from '../client/waits.ts';
import type { Schemas } from '../client/wire.ts';
import { type Connection, connectionOf, storeCredentials } from './credentials.ts';
import { print, shown } from './output.ts';
import { openOwnerSession } from './owner-session.ts';
import type { Options } from './usage.ts';

type CreatedKey = Schemas['CreatedKey'];

const AGENT_NAME = 'Command line';

/** Gets a key and stores it. The key is not printed. */
export async function logIn(options: Options): Promise<void> {
  const connection = connectionOf(options);
  const { email, 'agent-id': agentId } = options;
  const key =
    email === undefined ? await byProvider(connection, options) : await byPassword(connection, email, options);
  const { api_key, key_prefix, agent_id } = key;
  const file = storeCredentials({ url: connection.url, api_key, agent_id: agent_id ?? agentId ?? '' });
  print(
    `Logged in at ${connection.url} as agent ${shown(String(agent_id))}. The key ${shown(key_prefix)} is in ${file}.`,
  );
}

async function byPassword(connection: Connection, email: string, options: Options): Promise<CreatedKey> {
  const { 'agent-id': agent_id, 'agent-name': agent_name = AGENT_NAME } = options;
  const session = await openOwnerSession(connection, email);
  const body = agent_id === undefined ? { agent_name } : { agent_id };
  const { headers } = session;
  const client = new Stancebook({ ...connection, apiKey: null });
  try {
    return await client.request({ method: 'POST', path: '/api/v1/owner/auth/api-keys', body, headers });
  } finally {
    await session.close();
  }
}

const DEVICE = '/api/v1/public/auth/idp/device';

/** The device flow of RFC 8628. */
async function byProvider(connection: Connection, options: Options): Promise<CreatedKey> {
  if (options['agent-id'] !== undefined) throw new UsageError('--agent-id needs --email: this login makes an agent.');
  const client = new Stancebook({ ...connection, apiKey: null });
  const started = await client.request<Schemas['DeviceSignIn']>({ method: 'POST', path: DEVICE }).catch(noProvider);
  const { verification_uri, verification_uri_complete, user_code, device_code } = started;
  print(`Open ${shown(verification_uri_complete ?? verification_uri)} and compare the code ${shown(user_code)}.`);
  const body = { device_code, agent_name: options['agent-name'] ?? AGENT_NAME };
  for (let { interval } = started; ; ) {
    await sleepFor(interval);
    try {
      return await client.request<CreatedKey>({ method: 'POST', path: `${DEVICE}/poll`, body });
    } catch (error) {
      if (!(error instanceof RetryableError) || error.status !== 400) throw error;
      interval = Math.max(interval, error.retryAfterSeconds ?? 0);
    }
  }
}

/** @throws UsageError where passwords are the only login */
function noProvider(error: unknown): never {
  const isMissing = error instanceof ServiceDegradedError && error.code === 'OAUTH_NOT_CONFIGURED';
  throw isMissing ? new UsageError('The service has no identity provider: log in with --email EMAIL.') : error;
}
