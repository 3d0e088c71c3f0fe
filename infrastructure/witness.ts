import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { parseArgs } from 'node:util';
import { sha256 } from '../application/sha256.ts';
import { Malformed } from '../domain/log/encoding.ts';
import { type VerifierKey, vkeyText } from '../domain/log/notes/note.ts';
import { policyOf } from '../domain/log/notes/policy.ts';
import { UsageError } from './commands/command.ts';
import { errorCode } from './error-code.ts';
import { createLogger } from './logging/logger.ts';
import { endInOrder } from './process/end-in-order.ts';
import { StartRefused } from './start-refused.ts';
import { startWitnessServer } from './witness/witness-server.ts';
import { openWitnessState } from './witness/witness-state.ts';

// A witness of evidence logs: `npm run witness -- --policy FILE --listen HOST:PORT --state DIR [--name NAME]`.

const USAGE = 'Usage: npm run witness -- --policy FILE --listen HOST:PORT --state DIR [--name NAME]';

try {
  await main();
} catch (error) {
  const code = errorCode(error);
  const isUsage = error instanceof UsageError || code?.startsWith('ERR_PARSE_ARGS');
  const isRefusal = error instanceof StartRefused || error instanceof Malformed || code !== undefined || isUsage;
  console.error(isRefusal && error instanceof Error ? error.message : error);
  if (isUsage) console.error(USAGE);
  process.exit(isUsage ? 2 : 1);
}

async function main(): Promise<void> {
  const { policy, listen, state: folder, name } = optionsOf(process.argv.slice(2));
  const logKeys = logKeysIn(policy);
  const { host, port } = addressIn(listen);
  const log = createLogger({ level: 'info', format: 'json' });
  const started = endInOrder(log);
  const state = openWitnessState(folder, name);
  const now = () => Math.floor(Date.now() / 1_000);
  const serving = { logKeys, signer: state.signer, checkpoints: state, now, log, printProof: console.error };
  const server = await startWitnessServer(host, port, serving);
  const stop = async () => {
    await server.stop();
    state.close();
  };
  started({ stop, lost: new Promise(() => undefined) });
  console.log(`Verifier key: ${vkeyText(state.signer.key)}`);
  console.log(`Logs: ${[...new Set(logKeys.map((key) => key.name))].join(', ')}`);
  console.log(`The witness is listening at ${server.url}`);
}

/** @throws UsageError */
function optionsOf(args: readonly string[]) {
  const text = { type: 'string' } as const;
  const options = { policy: text, listen: text, state: text, name: text };
  const { policy, listen, state, name } = parseArgs({ args: [...args], options }).values;
  if (!policy || !listen || !state) throw new UsageError('--policy, --listen and --state are required.');
  return { policy, listen, state, name };
}

/** @throws Malformed, StartRefused */
function logKeysIn(file: string): readonly VerifierKey[] {
  const { logs } = policyOf(readFileSync(file, 'utf8'), sha256);
  if (logs.length === 0) throw new StartRefused(`${file} has no log line, so there is nothing to witness.`);
  return logs.map(({ key }) => key);
}

/** `HOST:PORT`, an IPv6 address in brackets; port 0 is any free one. @throws UsageError */
function addressIn(listen: string): { readonly host: string; readonly port: number } {
  const [, bracketed, plain, port = ''] = /^(?:\[([\da-f:.]+)\]|([^:[\]]+)):(\d{1,5})$/i.exec(listen) ?? [];
  const host = bracketed ?? plain;
  if (host === undefined || Number(port) > 65_535 || (bracketed !== undefined && isIP(bracketed) !== 6)) {
    throw new UsageError(`--listen ${listen} is not HOST:PORT, as in 127.0.0.1:8081 or [::1]:8081.`);
  }
  return { host, port: Number(port) };
}
