import type { ApiObject, DeepReadonly, StrategyContext } from '../../../api/kinds/index.ts';
import type { AdmissionSubject } from './admission.ts';
import type { WriteContext } from '../registry.ts';
import { type Resource, strategyContext } from '../resource.ts';
import type { Stored } from '../../storage/storage.ts';
import type { Change } from './intent.ts';

/** Draft that replaces a stored object, for the steps that only updates have. */
export interface Replacement extends Draft {
  readonly stored: Stored;
  readonly previous: DeepReadonly<ApiObject>;
}

/** Object of one attempt on its way to the store. Each step of the write path changes or rejects it. */
export class Draft implements AdmissionSubject {
  readonly resource: Resource;
  readonly change: Change;
  readonly context: WriteContext;
  /** Value that the attempt has read. Undefined if the attempt creates the object. */
  readonly stored: Stored | undefined;
  /** `stored` in parsed form. Frozen if other writes share it. */
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

  /** Name of the object; '' until a new object has its generated name. */
  get name(): string {
    return this.change.name || (this.object.metadata?.name ?? '');
  }

  get subresource(): string {
    return this.change.subresource;
  }
}

/** True if the draft replaces a stored object. */
export const isReplacement = (draft: Draft): draft is Replacement => draft.stored !== undefined;
