import { canonicalJson } from '../../adapters/formats/canonical-json.ts';
import { tableReaders } from '../../adapters/formats/tables/table-readers.ts';
import { tableWriters } from '../../adapters/formats/tables/table-writers.ts';
import { type ThreadedYaml, workflowYaml } from '../../adapters/formats/workflow-yaml.ts';
import { packSkill, writeZip } from '../../adapters/formats/zip-archive.ts';
import { coarseNetwork } from '../../adapters/http/kit/caller/client-network.ts';
import { breachList } from '../../adapters/identity/breached-passwords.ts';
import { oneTimeCodes, passkeyVerifier } from '../../adapters/identity/factors.ts';
import { bcryptPasswords } from '../../adapters/identity/passwords.ts';
import type { ReportFailure } from '../../adapters/identity/provider-metadata.ts';
import { type CurrentSymbols, currentSymbols } from '../../adapters/market/symbols/current-symbols.ts';
import { httpWebhookSender } from '../../adapters/outgoing/http-webhook-sender.ts';
import type { ReplicaUse } from '../../adapters/postgres/kit/replica.ts';
import { withNotedFaults } from '../../application/decisions/note-faults.ts';
import { withNotices } from '../../application/mail/queue-mail.ts';
import { knownNames } from '../../application/market/names.ts';
import type { Ports, Settings, Storage } from '../../application/ports.ts';
import { networkHash } from '../../application/sealed-secret.ts';
import type { PasswordHasher } from '../../domain/accounts/sign-in/password.ts';
import { authorityName } from '../../domain/log/timestamps/timestamp.ts';
import { venuesWith } from '../../domain/market/venues.ts';
import type { ConfigFaults } from '../../domain/workflows/node-template.ts';
import { notingKeyUses, type RecordFaults, recordFaults } from '../background/key-uses.ts';
import { type WakeUps, wakeUps } from '../background/wake-ups.ts';
import { backupsOf, type OwnBackups } from '../backup/backup-maker.ts';
import { type Config, sessionValues } from '../config/config.ts';
import type { Logger } from '../logging/logger.ts';
import { composeLogPolicy, composeLogWriter } from './log-writer.ts';
import { type MarketSources, openMarketData } from './market-sources.ts';
import { sourceProbes } from './source-probes.ts';

/** The ports, and their parts that the process closes or refreshes. */
export interface ComposedPorts extends Ports {
  readonly symbols: CurrentSymbols;
  readonly wakeUps: WakeUps;
  readonly workflowYaml: ThreadedYaml;
  readonly backupMaker: OwnBackups;
  readonly recordFaults: RecordFaults;
}

/** Everything that the use cases need, on a storage that is open. A part that is not configured is null. */
export async function composePorts(
  storage: Storage & { readonly replica?: Pick<ReplicaUse, 'lag'> | null },
  config: Config,
  log: Logger,
  { marketData, barFiles, pegSource }: Pick<MarketSources, 'marketData' | 'barFiles' | 'pegSource'> = openMarketData(
    config.marketData,
    log,
    undefined,
    storage.barCache,
    () => knownNames(storage.names),
  ),
): Promise<ComposedPorts> {
  const symbols = currentSymbols(config.marketData.barsDir, storage.listedSymbols);
  await symbols.reload();
  const sweepRequests = wakeUps(storage.jobs, (error) =>
    log.warn('Could not enqueue the sweep; the next scheduled run will do it', { error }),
  );
  const settings = settingsOf(config);
  const networkOf = (address: string) => networkHash(settings.sessionSecret, coarseNetwork(address));
  const faults = recordFaults(log);
  return {
    ...withNotedFaults(config.mail ? withNotices(storage, settings) : storage, faults.note),
    admission: notingKeyUses(storage, networkOf, (error) =>
      log.warn('Could not write when API keys were used', { error }),
    ),
    marketData,
    barFiles,
    pegSource,
    sourceProbes: () => sourceProbes(config.marketData),
    symbols,
    venues: venuesWith(config.marketData.ccxtVenues),
    passwords: composePasswords(config),
    oneTimeCodes: oneTimeCodes(),
    passkeyVerifier: passkeyVerifier(),
    ...(await composeProvider(config, log)),
    logWriter: composeLogWriter(config),
    webhookSender: httpWebhookSender(config.webhooks),
    replicaLag: storage.replica ? storage.replica.lag : null,
    backupMaker: backupsOf(config, log),
    mailSender: await composeMailSender(config),
    configFaults: loadedOnce(loadConfigFaults),
    canonicalJson,
    workflowYaml: workflowYaml(),
    packSkill,
    writeZip,
    writeTable: tableWriters,
    readTable: tableReaders,
    settings,
    wake: sweepRequests.wake,
    wakeUps: sweepRequests,
    recordFaults: faults,
    noteFault: faults.note,
    ...operatorMessages(log),
  };
}

/** What is not configured is not loaded. */
async function composeProvider(
  { identity }: Config,
  log: Logger,
): Promise<Pick<Ports, 'identityProvider' | 'deviceAuthorization'>> {
  if (identity === null) return { identityProvider: null, deviceAuthorization: null };
  const [{ providerClient }, { identityProvider }, { deviceClient }] = await Promise.all([
    import('../../adapters/identity/provider-client.ts'),
    import('../../adapters/identity/identity-provider.ts'),
    import('../../adapters/identity/device-client.ts'),
  ]);
  const client = providerClient(identity);
  const reportFailure: ReportFailure = ({ code }) => log.warn('The identity provider failed', { code });
  return {
    identityProvider: identityProvider(client, reportFailure),
    deviceAuthorization: deviceClient(client, reportFailure),
  };
}

async function composeMailSender({ mail }: Config): Promise<Ports['mailSender']> {
  if (mail === null) return null;
  const { smtpMailSender } = await import('../../adapters/outgoing/smtp-mail-sender.ts');
  return smtpMailSender(mail);
}

async function loadConfigFaults(): Promise<ConfigFaults> {
  const { configFaultsBySchema } = await import('../../adapters/formats/config-faults.ts');
  return configFaultsBySchema();
}

function loadedOnce<T>(load: () => Promise<T>): () => Promise<T> {
  let loading: Promise<T> | undefined;
  return () => {
    loading ??= load();
    return loading;
  };
}

/** The password hasher alone, for commands. */
export function composePasswords({ secrets, breachFile }: Pick<Config, 'secrets' | 'breachFile'>): PasswordHasher {
  return bcryptPasswords({ ...secrets, ...(breachFile !== null && { isBreached: breachList(breachFile) }) });
}

/** The operator's settings alone. */
export function settingsOf({
  limits,
  circuit,
  wisdom,
  legal,
  secrets,
  marketData,
  server,
  ...config
}: Config): Settings {
  return {
    limits,
    refuseTrippedSubmits: circuit.trippedSubmits === 'refuse',
    autoTrip: circuit.autoTrip,
    wisdom,
    publicCohorts: config.publicCohorts,
    dataSnapshots: config.dataSnapshots,
    legal,
    publicLog: server.publicLog,
    redistributeBars: marketData.redistribute,
    marketReferences: marketData.references,
    securityEventsKept: config.securityEventsKept,
    reauthenticateAfter: config.reauthenticateAfter,
    webhookAllowPrivate: config.webhooks.allowPrivate,
    watchesPegs: marketData.pegs !== null,
    expectsBackups: config.backupReminder,
    logPolicy: composeLogPolicy(config),
    timestampAuthorities: (config.evidenceLog?.timestamps?.urls ?? []).map(authorityName),
    adminFactorRequired: server.adminFactorRequired,
    ownerFactorRequired: server.ownerFactorRequired,
    publicOrigin: server.publicUrl,
    sessionSecret: sessionValues(secrets),
  };
}

/** What the use cases report to operators becomes log lines. */
function operatorMessages(log: Logger): Pick<Ports, 'announce' | 'announcePeg' | 'announceUnverified' | 'report'> {
  return {
    announce: ({ coin, to: state, cause, id: snapshot_id }) =>
      log.warn('A circuit has changed', { coin, state, cause, snapshot_id }),
    announcePeg: (coin, { stale }) =>
      log.warn(stale ? `No fresh price for the peg of ${coin}` : `The peg of ${coin} has fresh prices again`, { coin }),
    announceUnverified: (instrument, count) =>
      log.warn('No source could verify an instrument in time; its records were rejected until a refresh of it', {
        instrument,
        count,
      }),
    report: (error, about) => log.error(faultMessage(about), { error, ...about }),
  };
}

function faultMessage(about: Parameters<Ports['report']>[1]): string {
  if ('delivery_id' in about) return 'A webhook was not sent';
  return 'mail_id' in about ? 'A mail was not sent' : 'An evaluation failed';
}
