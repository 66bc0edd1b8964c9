import type { AnyKind } from '../../api/kinds/index.ts';
import type { Ingress, IngressClass } from '../../api/types/networking-v1.ts';
import type { Vocabulary } from '../../api/vocabulary/index.ts';
import type { ObjectReader } from '../registry/registry.ts';
import type { AdmissionPlugin } from '../request.ts';
import { defaultClassName, internalText } from './default-class.ts';
import { rejection } from './rejection.ts';

const isIngress = ({ group, plural }: AnyKind): boolean => group === 'networking' && plural === 'ingresses';

/** Creates a plugin that sets the default class on new Ingresses without a class. */
export function createDefaultIngressClass(options: {
  readonly ingressClasses: ObjectReader<IngressClass>;
  readonly vocabulary: Vocabulary;
}): AdmissionPlugin {
  const { ingressClasses, vocabulary } = options;
  const isDefault = vocabulary.key('ingressclass', 'is-default-class');
  /** Annotation that contained the class before the field existed. */
  const classAnnotation = vocabulary.key('', 'ingress.class');
  return {
    name: 'DefaultIngressClass',
    operations: ['CREATE'],
    concerns: isIngress,
    async mutate(request) {
      const ingress = request.object as Ingress | undefined;
      if (!isIngress(request.kind) || request.subresource !== '' || ingress === undefined) return;
      if (ingress.spec?.ingressClassName !== undefined) return;
      if (Object.hasOwn(ingress.metadata?.annotations ?? {}, classAnnotation)) return;
      const name = defaultClassName(ingressClasses, [isDefault], (count) =>
        rejection(
          request,
          vocabulary,
          internalText(`${count} default IngressClasses were found, only 1 allowed`),
        ),
      );
      if (name !== undefined) ingress.spec = { ...ingress.spec, ingressClassName: name };
    },
  };
}
