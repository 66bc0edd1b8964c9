import type { ApiObject, DeepReadonly } from '../../../api/kinds/index.ts';
import { ConversionPending, type Typed, typedObject } from '../../../api/managed/index.ts';
import { cloneJson, decode, writeJson } from '../../../api/schema/index.ts';
import type { Soon } from '../../../base/async/index.ts';
import type { FieldConversions } from '../versions/conversion.ts';
import type { Resource } from '../resource.ts';

/** Creates the conversions of field ownership, or returns undefined if no webhook converts the kind. */
export function createFieldConversions(resource: Resource): FieldConversions | undefined {
  const { convert: convertRemotely, kind, scheme } = resource;
  if (convertRemotely === undefined) return undefined;
  const known = new Map<string, Typed>();
  return {
    convert({ apiVersion: from, value }, apiVersion) {
      const target = scheme.byApiVersion(apiVersion, kind.kind);
      if (target?.plural !== kind.plural || target.group !== kind.group) return undefined;
      const key = `${from} ${apiVersion} ${writeJson(value)}`;
      const found = known.get(key);
      if (found !== undefined) return found;
      throw new ConversionPending(async () => {
        const [converted] = await convertRemotely([value as DeepReadonly<ApiObject>], apiVersion);
        const { value: decoded } = decode<object>(target.schema, cloneJson(converted ?? {}));
        known.set(key, typedObject(target.schema, apiVersion, decoded));
      });
    },
  };
}

/**
 * Repeats `step` until all conversions that it needs are known. Rejects with the `ApiError` of a failed
 * conversion.
 */
export async function converting<T>(step: () => Soon<T>): Promise<T> {
  for (;;) {
    try {
      return await step();
    } catch (thrown) {
      if (!(thrown instanceof ConversionPending)) throw thrown;
      await thrown.convert();
    }
  }
}
