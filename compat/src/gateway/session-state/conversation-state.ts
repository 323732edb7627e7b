import { newConversationState } from "@hermes/gateway-session";
import type { ConversationState as Conversation } from "@hermes/gateway-session";
import { fieldsClass } from "../session/fields-class.js";
import { resetFields } from "./reset-fields.js";

const Fields: new (fields: Conversation) => Conversation = fieldsClass<Conversation>();

/** What belongs to one conversation (CPT-03): the fields of the focused package. A host may add fields. */
export class ConversationState extends Fields {
  constructor() {
    super(newConversationState());
  }

  /** Begins anew, as at every boundary. */
  clear(): void {
    resetFields(this, new ConversationState());
  }
}
