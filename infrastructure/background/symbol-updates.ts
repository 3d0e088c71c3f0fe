import type { LivingSymbols } from '../../adapters/market/symbols/living-symbols.ts';
import { symbolSource } from '../../adapters/market/symbols/symbol-source.ts';
import { refreshSymbols } from '../../application/market/refresh-symbols.ts';
import type { Ports } from '../../application/ports.ts';
import { SYMBOLS } from '../../domain/limits.ts';
import type { Config } from '../config/config.ts';
import type { Logger } from '../logging/logger.ts';

/** Runs the daily job of the symbol directory; it does nothing without the network. */
export function symbolRefresher(
  ports: Ports & { readonly symbols: LivingSymbols },
  { marketData }: Config,
  log: Logger,
): () => Promise<void> {
  if (!marketData.network) return async () => undefined;
  const source = symbolSource(marketData.symbolsUrl, SYMBOLS.deadline);
  return async () => {
    const done = await refreshSymbols(ports, source);
    if (done.kind === 'stored') {
      await ports.symbols.reload();
      log.info('The symbol directory was brought up to date', { count: done.symbols });
    }
    if ('reason' in done) log.warn(`The symbol directory stays as it was. ${done.reason}`, { state: done.kind });
  };
}

/** Keeps this process's directory up to date with the database and the bar store; returns the stop. */
export function followSymbols(symbols: LivingSymbols, log: Logger): () => Promise<void> {
  let reloading = Promise.resolve();
  const timer = setInterval(() => {
    reloading = reloading
      .then(() => symbols.reload())
      .catch((error: unknown) =>
        log.warn('Could not read the symbol directory; the next read is on schedule', { error }),
      );
  }, SYMBOLS.reload);
  timer.unref();
  return async () => {
    clearInterval(timer);
    await reloading;
  };
}
