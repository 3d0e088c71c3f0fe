/** Remembers a value through everything that a piece of work awaits; `AsyncLocalStorage` is one. */
export interface AsyncContext<T> {
  run<R>(value: T, work: () => R): R;
  getStore(): T | undefined;
}

/** One transaction; `open` until its work has returned or thrown. */
export interface OpenTransaction {
  open: boolean;
}

/**
 * Holds every storage to the promise of `Storage.transaction`: inside a transaction neither another one nor the outer
 * stores work, and its own stores work no longer than it does. Whatever breaks that is a fault of the code that calls,
 * told at once instead of as a deadlock or a write that no rollback reaches.
 */
export function transactionScope(context: AsyncContext<OpenTransaction>) {
  return {
    /** The stores, each method of which throws while the caller is inside a transaction. */
    outside: <S extends object>(stores: S): S =>
      guardEach(stores, (name) => {
        if (context.getStore()?.open) {
          throw new Error(`${name} was called inside a transaction: use the stores that its callback is given.`);
        }
      }),

    /** Runs the work of a transaction on stores that throw once it has ended. */
    async inside<S extends object, T>(stores: S, work: (stores: S) => Promise<T>): Promise<T> {
      const transaction = { open: true };
      const own = guardEach(stores, (name) => {
        if (!transaction.open) throw new Error(`${name} was called after the end of its transaction.`);
      });
      try {
        return await context.run(transaction, () => work(own));
      } finally {
        transaction.open = false;
      }
    },
  };
}

type Guard = (method: string) => void;

function guardEach<S extends object>(stores: S, guard: Guard): S {
  return Object.fromEntries(Object.entries(stores).map(([name, store]) => [name, guarded(name, store, guard)])) as S;
}

/** Methods of stores return promises, so that a refusal is a rejection like any other. */
function guarded(name: string, store: unknown, guard: Guard): unknown {
  if (typeof store === 'function') {
    return async (...args: readonly unknown[]) => {
      guard(name);
      return Reflect.apply(store, undefined, args);
    };
  }
  return new Proxy(store as object, {
    get(target, key) {
      const member: unknown = Reflect.get(target, key);
      return typeof member === 'function' ? guarded(`${name}.${String(key)}`, member.bind(target), guard) : member;
    },
  });
}
