import { canonicalJson } from '../adapters/formats/canonical-json.ts';
import { configFaultsBySchema } from '../adapters/formats/config-faults.ts';
import { packSkill } from '../adapters/formats/skill-archive.ts';
import { type ThreadedYaml, workflowYaml } from '../adapters/formats/workflow-yaml.ts';
import { guidePages } from '../adapters/http/guide/guide-pages.ts';
import type { Readiness } from '../adapters/http/kit/health-pages.ts';
import { createApp } from '../adapters/http/kit/router.ts';
import { endpointsOf } from '../adapters/http/routes/endpoints.ts';
import { servicePages } from '../adapters/http/service-pages.ts';
import { deviceClient } from '../adapters/identity/device-client.ts';
import { identityProvider } from '../adapters/identity/identity-provider.ts';
import { bcryptPasswords } from '../adapters/identity/passwords.ts';
import { providerClient } from '../adapters/identity/provider-client.ts';
import type { ReportFailure } from '../adapters/identity/provider-failure.ts';
import type { Sweeps } from '../adapters/jobs/sweep.ts';
import { type LivingSymbols, livingSymbols } from '../adapters/market/living-symbols.ts';
import { keepAtlas } from '../application/atlas/build-atlas.ts';
import { observePegs } from '../application/circuits/observe-pegs.ts';
import { FOLD_SOON, foldCohorts } from '../application/cohorts/fold-cohorts.ts';
import { pruneExpired } from '../application/decisions/prune-expired.ts';
import { evaluateDue } from '../application/grading/evaluate-due.ts';
import { verifyInstruments } from '../application/market/verify-instruments.ts';
import type { Ports, Settings, Storage } from '../application/ports.ts';
import { admitRequest } from '../application/quotas/admit-request.ts';
import type { PasswordHasher } from '../domain/accounts/password.ts';
import type { Config } from './config/config.ts';
import { notingKeyUses } from './key-uses.ts';
import { type Logger, logRequest } from './logging/logger.ts';
import { openMarketData } from './market-data.ts';
import type { Told } from './metrics/cluster-metrics.ts';
import { createMetrics, type Metrics } from './metrics/metrics.ts';
import { metricsPage } from './metrics/metrics-page.ts';
import { VERSION } from './version.ts';
import { type WakeUps, wakeUps } from './wake-ups.ts';

/** The ports, and what of them has to be closed or looked after by whoever runs the process. */
export interface ComposedPorts extends Ports {
  readonly symbols: LivingSymbols;
  readonly wakeUps: WakeUps;
  readonly workflowYaml: ThreadedYaml;
}

/** Everything the use cases need, on a storage that is open. */
export async function composePorts(
  storage: Storage,
  config: Config,
  log: Logger,
  { marketData, pegSource } = openMarketData(config.marketData, log, undefined, storage.barCache),
): Promise<ComposedPorts> {
  const symbols = livingSymbols(config.marketData.barsDir, storage.listedSymbols);
  await symbols.reload();
  const waking = wakeUps(storage.jobs, (error) =>
    log.warn('A sweep could not be asked for; the schedule will', { error }),
  );
  const provider = config.identity && providerClient(config.identity);
  const tellFailure: ReportFailure = ({ code }) => log.warn('The identity provider failed', { code });
  return {
    ...storage,
    admission: notingKeyUses(storage, (error) => log.warn('The use of API keys could not be noted', { error })),
    marketData,
    pegSource,
    symbols,
    passwords: composePasswords(config),
    identityProvider: provider && identityProvider(provider, tellFailure),
    deviceAuthorization: provider && deviceClient(provider, tellFailure),
    configFaults: configFaultsBySchema(),
    canonicalJson,
    workflowYaml: workflowYaml(),
    packSkill,
    settings: settingsOf(config),
    wake: waking.wake,
    wakeUps: waking,
    announce: ({ coin, to: state, cause, id: snapshot_id }) =>
      log.warn('A circuit has changed', { coin, state, cause, snapshot_id }),
    announcePeg: (coin, { stale }) =>
      log.warn(stale ? 'What a coin trades at is not known' : 'What a coin trades at is known', { coin }),
    report: (error, about) => log.error('An evaluation failed', { error, ...about }),
  };
}

/** What hashes passwords, alone. */
export function composePasswords({ secrets }: Pick<Config, 'secrets'>): PasswordHasher {
  return bcryptPasswords({ pepper: secrets.pepper });
}

function settingsOf({ limits, circuit, wisdom, legal, secrets }: Config): Settings {
  const refuseTrippedSubmits = circuit.trippedSubmits === 'refuse';
  return { limits, refuseTrippedSubmits, autoTrip: circuit.autoTrip, wisdom, legal, cursorSecret: secrets.session };
}

/** The HTTP application over the use cases. */
export function composeApp(
  ports: Ports,
  config: Config,
  log: Logger,
  readiness: Readiness,
  metrics: Metrics = createMetrics(ports),
  told: Told = metrics,
) {
  const { publicUrl, trustProxy, corsOrigins, metricsToken } = config.server;
  const endpoints = endpointsOf({ ...ports, intake: metrics.counted(ports.intake) });
  const origin = publicUrl === null ? '' : new URL(publicUrl).origin;
  return createApp({
    endpoints,
    admit: (request) => admitRequest(ports, request),
    log,
    pages: [
      ...servicePages(endpoints, VERSION, readiness),
      metricsPage(told, metricsToken),
      ...guidePages(endpoints, config.limits, origin),
    ],
    observe(served) {
      logRequest(log, served);
      metrics.served(served);
    },
    settings: {
      corsOrigins,
      addressPerMinute: config.limits.addressPerMinute,
      ...(publicUrl === null ? {} : { publicUrl }),
      ...(trustProxy === false
        ? {}
        : { trustProxy: typeof trustProxy === 'number' ? trustProxy : trustProxy.join(', ') }),
    },
  });
}

/** What each job does. Without `refreshSymbols` the symbol directory stays as it is. */
export function composeSweeps(ports: Ports, refreshSymbols: () => Promise<void> = async () => undefined): Sweeps {
  return {
    'verify-instruments': async () => ((await verifyInstruments(ports)) ? { next: new Date() } : undefined),
    'evaluate-due': async () => {
      const { ended, more, next } = await evaluateDue(ports);
      if (ended >= FOLD_SOON) ports.wake('fold-cohorts');
      if (ended > 0) ports.wake('build-atlas');
      const soonest = more ? new Date() : next;
      return soonest ? { next: soonest } : undefined;
    },
    'fold-cohorts': async () => void (await foldCohorts(ports)),
    'build-atlas': async () => void (await keepAtlas(ports)),
    'observe-pegs': () => observePegs(ports),
    'prune-expired': () => pruneExpired(ports),
    'refresh-symbols': refreshSymbols,
  };
}
