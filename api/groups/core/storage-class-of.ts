import type { ApiObject, DeepReadonly } from '../../kinds/kind.ts';

type Classed = DeepReadonly<ApiObject> & { readonly spec?: { readonly storageClassName?: string } };

/** Returns the StorageClass of a volume or claim for a Table. The older annotation overrides the field. */
export function storageClassOf({ metadata, spec }: Classed): string {
  const annotated = Object.entries(metadata?.annotations ?? {}).find(([key]) =>
    /^volume\.beta\.[^./]+\.io\/storage-class$/.test(key),
  );
  return annotated?.[1] ?? spec?.storageClassName ?? '';
}
