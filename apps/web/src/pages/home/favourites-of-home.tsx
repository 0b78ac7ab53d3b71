/** The favourites of the user, on the start page. It shows nothing until people can mark favourites. */
export const FavouritesOfHome = () => null;
