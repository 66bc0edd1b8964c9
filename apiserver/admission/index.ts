export { parseImagePolicy } from './image-policy-configuration.ts';
export {
  type AdmissionChoice,
  AdmissionChoiceError,
  checkAdmissionChoice,
  chosenPlugins,
} from './plugin-table.ts';
