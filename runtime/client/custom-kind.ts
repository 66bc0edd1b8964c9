import { type ApiObject, type Kind, type Verb, defineKind } from '../../api/kinds/index.ts';
import { struct } from '../../api/schema/index.ts';

/** Identity of a kind without a schema. */
export interface CustomKind {
  /** API group such as `example.com`. */
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly namespaced: boolean;
  /** Verbs that the resource supports. Default: all verbs. */
  readonly verbs?: readonly Verb[];
}

const unknownFields = struct('unknown', {});

/**
 * Declares a kind by its TypeScript type alone, for clients and informers. Only the server validates objects
 * of the kind.
 *
 *     interface Backup extends ApiObject { spec: { schedule: string }; status?: { phase?: string } }
 *     const backups = customKind<Backup>({ group: 'example.com', version: 'v1', kind: 'Backup', plural: 'backups', namespaced: true });
 */
export const customKind = <T extends ApiObject = ApiObject>(declared: CustomKind): Kind<T> =>
  defineKind<T>({ ...declared, schema: unknownFields });
