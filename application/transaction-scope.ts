/** Carries a value through everything that a piece of work awaits; `AsyncLocalStorage` is one. */
export interface AsyncContext<T> {
  run<R>(value: T, work: () => R): R;
  getStore(): T | undefined;
}

/** One transaction; `open` until its work has returned or thrown. */
export interface OpenTransaction {
  open: boolean;
}

/**
 * Enforces the promise of `Storage.transaction` for every storage: inside a transaction neither another one nor the
 * outer stores work, its own stores work only until it ends, and an error of a store rolls it back, caught or not. A
 * violation is a fault of the calling code, thrown at once instead of becoming a deadlock or a lost rollback.
 */
export function transactionScope(context: AsyncContext<OpenTransaction>) {
  return {
    /** The stores, each method of which throws while the caller is inside a transaction. */
    outside: <S extends object>(stores: S): S =>
      wrapCalls(stores, (name, call) => {
        if (!context.getStore()?.open) return call();
        throw new Error(`${name} was called inside a transaction: use the stores that its callback is given.`);
      }),

    /** Runs the work of a transaction on stores that throw once it has ended. */
    async inside<S extends object, T>(stores: S, work: (stores: S) => Promise<T>): Promise<T> {
      const transaction = { open: true };
      const failures: unknown[] = [];
      const own = wrapCalls(stores, async (name, call) => {
        if (!transaction.open) throw new Error(`${name} was called after the end of its transaction.`);
        try {
          return await call();
        } catch (error) {
          failures.push(error);
          throw error;
        }
      });
      try {
        const result = await context.run(transaction, () => work(own));
        if (failures.length > 0) throw failures[0];
        return result;
      } finally {
        transaction.open = false;
      }
    },
  };
}

/** The same stores, with each call made through `around`; what that throws rejects the call like any failure. */
export function wrapCalls<S extends object>(stores: S, around: Around): S {
  return Object.fromEntries(
    Object.entries(stores).map(([name, store]) => [name, surrounded(name, store, around)]),
  ) as S;
}

type Around = (method: string, call: () => unknown) => unknown;

function surrounded(name: string, store: unknown, around: Around): unknown {
  if (typeof store === 'function') {
    return async (...args: readonly unknown[]) => around(name, () => Reflect.apply(store, undefined, args));
  }
  const methods = new Map<string | symbol, { readonly member: unknown; readonly call: unknown }>();
  return new Proxy(store as object, {
    get(target, key) {
      const member: unknown = Reflect.get(target, key);
      if (typeof member !== 'function') return member;
      const known = methods.get(key);
      if (known?.member === member) return known.call;
      const call = surrounded(`${name}.${String(key)}`, member.bind(target), around);
      methods.set(key, { member, call });
      return call;
    },
  });
}
