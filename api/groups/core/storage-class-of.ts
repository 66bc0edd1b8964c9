import type { ApiObject, DeepReadonly } from '../../kinds/kind.ts';

type Classed = DeepReadonly<ApiObject> & { readonly spec?: { readonly storageClassName?: string } };

/** The class of a volume or a claim, as Tables show it: what the annotation of old says goes before the field. */
export function storageClassOf({ metadata, spec }: Classed): string {
  const annotated = Object.entries(metadata?.annotations ?? {}).find(([key]) =>
    /^volume\.beta\.[^./]+\.io\/storage-class$/.test(key),
  );
  return annotated?.[1] ?? spec?.storageClassName ?? '';
}
