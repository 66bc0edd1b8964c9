import type { ApiObject, DeepReadonly, StrategyContext } from '../../../api/kinds/index.ts';
import type { AdmissionSubject } from './admission.ts';
import type { WriteContext } from '../registry.ts';
import { type Resource, strategyContext } from '../resource.ts';
import type { Stored } from '../../storage/storage.ts';
import type { Change } from './intent.ts';

/** An object that replaces a stored one, for the steps that only updates have. */
export interface Replacement extends Draft {
  readonly stored: Stored;
  readonly previous: DeepReadonly<ApiObject>;
}

/** The object of one attempt on its way to the store. Each step of the write path changes or refuses it. */
export class Draft implements AdmissionSubject {
  readonly resource: Resource;
  readonly change: Change;
  readonly context: WriteContext;
  /** The value that the attempt has read; undefined if it creates the object. */
  readonly stored: Stored | undefined;
  /** `stored`, parsed. Frozen if it is shared with other writes. */
  readonly previous: DeepReadonly<ApiObject> | undefined;
  readonly object: ApiObject;
  readonly input: StrategyContext;

  constructor(
    resource: Resource,
    change: Change,
    context: WriteContext,
    from: { readonly stored: Stored; readonly previous: DeepReadonly<ApiObject> } | undefined,
    object: ApiObject,
  ) {
    this.resource = resource;
    this.change = change;
    this.context = context;
    this.stored = from?.stored;
    this.previous = from?.previous;
    this.object = object;
    this.input = strategyContext(resource, context.user);
  }

  get operation(): 'CREATE' | 'UPDATE' {
    return this.previous ? 'UPDATE' : 'CREATE';
  }

  get namespace(): string {
    return this.change.namespace;
  }

  /** '' until a new object has its generated name. */
  get name(): string {
    return this.change.name || (this.object.metadata?.name ?? '');
  }

  get subresource(): string {
    return this.change.subresource;
  }
}

/** True if the draft replaces a stored object. */
export const isReplacement = (draft: Draft): draft is Replacement => draft.stored !== undefined;
