import { z } from 'zod';

/**
 * The value of a reply in the form in which it is sent. Its schema is a whitelist: an undeclared member is a fault of the
 * service, and is never sent. The schema is compiled at the first call.
 * @param name of the reply, for the error
 */
export function checkedBy(schema: z.ZodType, name: string): (value: unknown) => unknown {
  let compiled: z.ZodType | undefined;
  return (value) => {
    compiled ??= z.compile(schema);
    const result = compiled.safeParse(value);
    if (result.success) return result.data;
    throw new Error(`${name} is against its schema: ${placesOf(result.error)}`);
  };
}

/** Place and kind of each fault without the values, which may be another owner's. */
function placesOf({ issues }: z.ZodError): string {
  return issues.map(({ path, code }) => `${path.join('.') || 'the body'} ${code}`).join(', ');
}
