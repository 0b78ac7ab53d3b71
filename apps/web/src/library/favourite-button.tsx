import { ActionIcon } from "@mantine/core";
import { IconStar, IconStarFilled } from "@tabler/icons-react";
import { useMutation } from "@tanstack/react-query";
import { api } from "../api.ts";
import { showFailure } from "../errors/error-notice.tsx";
import { Hint } from "../ui/hint.tsx";
import { type ItemKind, refreshLibrary } from "./items.ts";

interface FavouriteButtonProps {
  item: { kind: ItemKind | "folder"; id: string; title: string; isFavourite: boolean };
}

/** The star of an item: whether it is a favourite of the signed-in person. */
export function FavouriteButton({ item: { kind, id, title, isFavourite } }: FavouriteButtonProps) {
  const change = useMutation({
    mutationFn: () => api.library.setFavourite.mutate({ kind, id, isFavourite: !isFavourite }),
    onSuccess: refreshLibrary,
    onError: (error) => showFailure("Not changed", error),
  });
  const shown = change.isPending ? !isFavourite : isFavourite;
  const Icon = shown ? IconStarFilled : IconStar;
  return (
    <Hint label={shown ? "Remove from your favourites" : "Add to your favourites"}>
      <ActionIcon
        variant="subtle"
        color={shown ? "var(--qb-accent)" : "gray"}
        aria-label={`Favourite: ${title}`}
        aria-pressed={shown}
        onClick={() => !change.isPending && change.mutate()}
      >
        <Icon size={16} />
      </ActionIcon>
    </Hint>
  );
}
